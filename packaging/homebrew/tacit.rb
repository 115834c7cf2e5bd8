# frozen_string_literal: true

# The program, the library and its headers. A tap replaces `url` and `sha256` by the address of the
# release's archive and its line of SHA256SUMS; as it stands it installs the newest tree with --HEAD.
class Tacit < Formula
  desc "Differentially private linear models in one or a few passes over the data"
  homepage "https://tacit.invalid"
  url "https://tacit.invalid/tacit-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"
  head "https://tacit.invalid/tacit.git", branch: "main"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libsodium"
  depends_on :linux
  depends_on "sqlite"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "meson", "setup", "build", "-Dtests=disabled", "-Dmpi=disabled", "-Dpostgresql=disabled", *std_meson_args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    system bin/"tacit", "demo"
    assert_path_exists testpath/"demo-data/private.json"
    assert_match version.to_s, shell_output("#{bin}/tacit version")
  end
end
