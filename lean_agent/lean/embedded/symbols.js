// The functions and data of lean.wasm by name: what dlsym() asks for, and host.cjs. Becomes the head of lean.js at install,
// which every thread loads. The table of symbols (symbols.bin, written by exports.py) is read once and shared by them.
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
    this.ends = new Uint32Array(shared, 4, n);
    this.values = new Uint32Array(shared, 4 + 4 * n, n);    // the place in the function table, or the address of data
    this.arities = new Uint16Array(shared, 4 + 8 * n, n);
    this.bytes = new Uint8Array(shared, 4 + 10 * n);
  }
  // The index of the name whose UTF-8 bytes end before a 0 in `name` from `at` on, or -1.
  search(name, at) {
    for (let low = 0, high = this.ends.length; low < high;) {
      const middle = (low + high) >>> 1, end = this.ends[middle], start = middle ? this.ends[middle - 1] : 0;
      let i = 0;
      while (start + i < end && this.bytes[start + i] === name[at + i]) i++;
      const difference = (start + i < end ? this.bytes[start + i] : 0) - name[at + i];
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
  *names() {
    for (let i = 0, start = 0; i < this.ends.length; start = this.ends[i++])
      yield Buffer.from(this.bytes.slice(start, this.ends[i])).toString("utf8");
  }
}
