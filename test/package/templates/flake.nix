# Nix: nix profile install . in the folder of this file. The source archive has the modules that it needs.
{
  description = "Performance Co-Pilot's client tools, and a workbench for derived metrics";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "pmtools";
          version = "{{.Version}}";
          src = pkgs.fetchurl {
            url = "{{.URL}}/{{.Source}}";
            hash = "{{sri .Source}}";
          };
          vendorHash = null;
          subPackages = [ "cmd/pminfo" "cmd/pmval" "cmd/pmstore" "cmd/pmerr" "cmd/pmderive" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" ];
          doCheck = false; # the tests need git and more
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installManPage man/*.[1-9]
            for c in pminfo pmval pmstore; do
              for s in bash zsh fish; do $out/bin/$c --completion $s >$c.$s; done
              installShellCompletion --cmd $c --bash $c.bash --zsh $c.zsh --fish $c.fish
            done
            for s in bash zsh fish; do $out/bin/pmderive completion $s >pmderive.$s; done
            installShellCompletion --cmd pmderive --bash pmderive.bash --zsh pmderive.zsh --fish pmderive.fish
          '';
          meta = { license = pkgs.lib.licenses.asl20; mainProgram = "pmderive"; };
        };
      });
    };
}
