"""What an installation changes in the WebAssembly build of Lean, so that it runs here."""
