# Homebrew: brew install ./pmtools.rb
class Pmtools < Formula
  desc "Performance Co-Pilot's client tools, and a workbench for derived metrics"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "Apache-2.0"

{{range .Archives}}  on_{{if eq .System "darwin"}}macos{{else}}{{.System}}{{end}} do
    on_{{if eq .Arch "arm64"}}arm{{else}}intel{{end}} do
      url "{{$.URL}}/{{.Name}}"
      sha256 "{{sha256 .Name}}"
    end
  end
{{end}}
  def install
    bin.install Dir["bin/*"]
    share.install Dir["share/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pmderive --version")
    assert_match "7.2", shell_output("#{bin}/pminfo --version 2>&1")
  end
end
