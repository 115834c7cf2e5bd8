/* SPDX-License-Identifier: MIT */
/*
 * The style sheet of every page: light and dark, for screens and for paper. In both,
 * texts have a contrast of at least 4.5 to 1 with their background.
 */
#include "extra/report/page.h"

#include <stddef.h>

const char *const tacit_page_style[] = {
    ":root{--paper:#fff;--ink:#1d242c;--soft:#55606c;--line:#d9dee4;--tint:#f4f6f8;"
    "--mark:#0b62a4;--warn:#8c2f00;--warn-tint:#fff1e8;--c0:#0b62a4;--c1:#c44e00;"
    "--c2:#1b7f3b;--c3:#7a3e9d;--c4:#b3123f;--c5:#5a5a5a;--c6:#8a6d00;--c7:#00798c;"
    "--grey:#8b949e}\n",
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e4e8ec;"
    "--soft:#a8b2bc;--line:#39424c;--tint:#1d232a;--mark:#79b8f3;--warn:#ffb38a;"
    "--warn-tint:#3a2113;--c0:#79b8f3;--c1:#f2a365;--c2:#7ccf95;--c3:#cfa5ea;"
    "--c4:#ff8fa8;--c5:#c2c2c2;--c6:#e0c25a;--c7:#5ccbda;--grey:#8b949e}}\n",
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,"
    "-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif}\n"
    "main{max-width:64rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}\n"
    "p,ul,dl,.banner{max-width:44rem;overflow-wrap:break-word}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em;"
    "overflow-wrap:break-word}\n"
    "h2{font-size:1.35rem;line-height:1.3;margin:3rem 0 .75rem;padding-top:1.25rem;"
    "border-top:1px solid var(--line);overflow-wrap:break-word}\n"
    "h3{font-size:1.08rem;margin:2rem 0 .4rem;overflow-wrap:break-word}\n"
    "h4{font-size:1rem;margin:1.5rem 0 .3rem;overflow-wrap:break-word}\n",
    ".facts{color:var(--soft);margin:0 0 1.5rem}\n"
    ".answer{font-size:1.08rem;border-left:3px solid var(--mark);padding-left:.9rem;"
    "margin:.5rem 0 .75rem}\n"
    ".banner{background:var(--warn-tint);color:var(--warn);border:1px solid;"
    "border-radius:6px;padding:.75rem 1rem;font-weight:600;margin:1.25rem 0}\n"
    ".verdict{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0;padding:0;"
    "list-style:none;max-width:none}\n"
    ".verdict li{flex:1 1 9rem;background:var(--tint);border-radius:8px;"
    "padding:.8rem 1rem}\n"
    ".verdict b{display:block;font-size:1.35rem;line-height:1.3;"
    "overflow-wrap:anywhere;font-variant-numeric:tabular-nums}\n"
    ".verdict span{color:var(--soft);font-size:.86rem}\n",
    "nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;padding:0;"
    "margin:1.75rem 0 0;font-size:.92rem;max-width:none}\n"
    "a{color:var(--mark)}\n"
    "code,pre{font:.88em/1.5 ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,"
    "monospace}\n"
    "code{overflow-wrap:anywhere}\n"
    "pre{background:var(--tint);padding:.8rem 1rem;border-radius:8px;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "dt{font-weight:600;margin-top:.75rem}dd{margin:0}li{margin:.25rem 0}\n"
    "ul{padding-left:1.2rem}\n",
    ".scroll{overflow-x:auto;margin:1rem 0}\n"
    "table{border-collapse:collapse;font-size:.92rem;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);font-size:.88rem;padding:0 0 .4rem;"
    "max-width:44rem}\n"
    "th,td{text-align:left;padding:.35rem .9rem .35rem 0;border-bottom:1px solid "
    "var(--line);vertical-align:baseline;font-weight:400}\n"
    "thead th{color:var(--soft);font-size:.86rem;border-bottom-color:var(--soft)}\n"
    "tbody th{overflow-wrap:anywhere;min-width:4.6rem}\n"
    ".figures>.scroll{margin:0}.figures>.scroll caption{color:var(--ink);"
    "font-weight:600}\n"
    ".n{text-align:right;white-space:nowrap}.key{width:1.4rem;height:.7rem}td "
    "svg{width:11rem;height:1.1rem;vertical-align:-.2rem}\n",
    "@media(max-width:30rem){th,td{padding-right:.5rem}td svg{width:3.6rem}}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,"
    "18.5rem),1fr));gap:1.5rem;margin:1.25rem 0}\n"
    ".pair{grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}\n"
    "figure{margin:0;min-width:0}figure svg{display:block;width:100%;height:auto;"
    "max-width:27rem}\n"
    "figcaption{font-size:.88rem;color:var(--soft);margin-top:.25rem;max-width:30rem;"
    "overflow-wrap:anywhere}figcaption b{color:var(--ink);font-weight:600}\n"
    "svg text{fill:var(--soft);font-size:13px}svg .grid{stroke:var(--line)}"
    "svg .box{fill:none;stroke:var(--grey)}\n",
    ".s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}"
    ".s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}"
    ".s6{stroke:var(--c6)}.s7{stroke:var(--c7)}.s-grey{stroke:var(--grey)}\n"
    ".f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}"
    ".f4{fill:var(--c4)}.f5{fill:var(--c5)}.f6{fill:var(--c6)}.f7{fill:var(--c7)}"
    ".f-grey{fill:var(--grey)}\n"
    ".b0{fill:var(--c0)}.b1{fill:var(--c1)}.b2{fill:var(--c2)}.b3{fill:var(--c3)}"
    ".b4{fill:var(--c4)}.b5{fill:var(--c5)}.b6{fill:var(--c6)}.b7{fill:var(--c7)}"
    ".b-grey{fill:var(--grey)}\n"
    ".b0,.b1,.b2,.b3,.b4,.b5,.b6,.b7,.b-grey{opacity:.22}\n",
    "@media print{main{max-width:none;padding:0}body{font-size:10pt}nav{display:none}"
    "h2,h3,h4{break-after:avoid}figure,tr,.verdict li,.answer{break-inside:avoid}"
    "pre,.verdict li{border:1px solid var(--line)}}\n",
    NULL};
