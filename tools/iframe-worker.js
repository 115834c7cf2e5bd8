// SPDX-License-Identifier: MIT
// Search of the site that `make docs` makes, where pages are opened as files: browsers start no worker from a file,
// so the worker's script runs in a hidden frame. The name has "iframe-worker" in it, because Material's plugin
// "offline" then takes no such script from the network.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}));
      const script = this.inside.document.createElement("script");
      this.loaded = new Promise(resolve => script.addEventListener("load", resolve));
      script.src = new URL(url, document.baseURI).href;
      this.inside.document.body.appendChild(script);
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data})));
    }
    terminate() {}
  };
}
