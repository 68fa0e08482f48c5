// The functions and data of lean.wasm by name: what dlsym() asks for, and host.cjs. Becomes the head of lean.js at install,
// which every thread loads. The table of symbols (symbols.bin, written by exports.py) is read once and shared by them. It
// knows names by the first 8 bytes of their SHA-256: with the names themselves it would take 19 MB more of each process.
class LeanSymbols {
  static read(file) {
    const fs = require("fs"), size = fs.statSync(file).size, shared = new SharedArrayBuffer(size), fd = fs.openSync(file);
    for (let at = 0; at < size;) at += fs.readSync(fd, new Uint8Array(shared, at));
    fs.closeSync(fd);
    return new LeanSymbols(shared);
  }
  constructor(shared) {
    const [n] = new Uint32Array(shared, 0, 1);
    this.shared = shared;
    this.hashes = new Uint32Array(shared, 4, 2 * n);        // in order, the upper half of each first
    this.values = new Uint32Array(shared, 4 + 8 * n, n);    // the place in the function table, or the address of data
    this.arities = new Uint16Array(shared, 4 + 12 * n, n);
  }
  // The index of the name whose UTF-8 bytes end before a 0 in `bytes` from `at` on, or -1.
  search(bytes, at) {
    const name = bytes.slice(at, bytes.indexOf(0, at));     // a copy: memory that threads share cannot be hashed
    const hash = require("crypto").hash("sha256", name, "buffer"), upper = hash.readUInt32BE(0), lower = hash.readUInt32BE(4);
    for (let low = 0, high = this.values.length; low < high;) {
      const middle = (low + high) >>> 1, theirs = this.hashes[2 * middle];
      const difference = theirs === upper ? this.hashes[2 * middle + 1] - lower : theirs - upper;
      if (difference === 0) return middle;
      if (difference < 0) low = middle + 1; else high = middle;
    }
    return -1;
  }
  // {value, arity} of a name, arity being undefined for data; undefined where there is none.
  find(name) {
    const i = this.search(Buffer.from(name + "\0"), 0);
    return i < 0 ? undefined : { value: this.values[i], arity: this.arities[i] === 0xffff ? undefined : this.arities[i] };
  }
}
