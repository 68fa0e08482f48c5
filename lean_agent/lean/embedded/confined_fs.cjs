// What Lean may see of the host's files: folders that were asked for, to be read.
//
// Lean code that we did not write runs in this process, so the file system of the WebAssembly module is a wall. A mount
// shows directories and plain files of one host folder; a symbolic link in it does not exist, since it could lead
// anywhere; nothing can be created, changed or removed, for there is no operation that would do it. All else that Lean
// reads and writes is memory of this process.
"use strict";
const path = require("path");
const nodeFs = require("fs");

const ERRNO = { noEntry: 44, noSpace: 51, badFile: 8, notPermitted: 63, readOnly: 69 };
const ACCESS = 3, CREATE = 64, TRUNCATE = 512, APPEND = 1024;      // flags of open, as the module's C library has them
const RESIDENT_LIMIT = 4 * 2 ** 30;                                // bytes; where files in memory may no longer grow

exports.confine = (M) => {
  const { FS, NODEFS } = M;
  const { MEMFS } = FS.filesystems;
  NODEFS.mount = () => { throw new FS.ErrnoError(ERRNO.notPermitted); };      // the package's own door to /home and /tmp

  const dead = () => { throw new FS.ErrnoError(ERRNO.badFile); };
  const closed = { read: dead, llseek: dead, close() {}, dup() {} };
  const { read, llseek, mmap, getattr } = NODEFS.stream_ops;
  const streamOps = {
    read, llseek, mmap, getattr,
    open(stream) {
      if (stream.flags & (ACCESS | CREATE | TRUNCATE | APPEND)) throw new FS.ErrnoError(ERRNO.readOnly);
      const where = NODEFS.realPath(stream.node) + (FS.isDir(stream.node.mode) ? "/." : "");   // the root itself is a link
      NODEFS.tryFSOperation(() => {
        const file = nodeFs.openSync(where, nodeFs.constants.O_RDONLY | nodeFs.constants.O_NOFOLLOW);
        stream.shared.refcount = 1;
        stream.nfd = file;
      });
    },
    close(stream) { if (--stream.shared.refcount === 0) nodeFs.closeSync(stream.nfd); },
    dup(stream) { stream.shared.refcount++; },
  };
  const node = (parent, name, stat) => {
    const made = FS.createNode(parent, name, stat.mode & ~0o222, 0);
    made.node_ops = nodeOps;
    made.stream_ops = streamOps;
    return made;
  };
  const shown = (stat) => stat.isDirectory() || stat.isFile();
  const nodeOps = {
    getattr: (n) => NODEFS.getattr(() => nodeFs.statSync(NODEFS.realPath(n)), n),
    lookup(parent, name) {
      const stat = NODEFS.tryFSOperation(() => nodeFs.lstatSync(path.join(NODEFS.realPath(parent), name)));
      if (!shown(stat)) throw new FS.ErrnoError(ERRNO.noEntry);
      return node(parent, name, stat);
    },
    readdir: (n) => [".", "..", ...NODEFS.tryFSOperation(() => nodeFs.readdirSync(NODEFS.realPath(n), { withFileTypes: true })).filter(shown).map((entry) => entry.name)],
  };
  const confined = { mount: (m) => node(null, "/", nodeFs.statSync(m.opts.root)) };

  // Files in memory are not Lean's heap, which has a limit of its own.
  const grow = MEMFS.expandFileStorage;
  MEMFS.expandFileStorage = (n, capacity) => {
    if (process.memoryUsage.rss() + capacity > RESIDENT_LIMIT) throw new FS.ErrnoError(ERRNO.noSpace);
    grow(n, capacity);
  };

  const mounted = new Map();                          // path inside -> folder of the host
  let last;                                           // whose request was the last one
  // Only at the root: a mount point cannot be renamed away, a folder above it could be.
  const mount = (inside, outside) => {
    clear(inside);
    FS.mkdir(inside);
    FS.mount(confined, { root: outside }, inside);
    mounted.set(inside, outside);
  };
  const unmount = (inside) => {
    const { mount: gone } = FS.lookupPath(inside).node;
    for (const stream of FS.streams) {                // a handle that a program kept reads nothing from now on
      if (!stream || stream.node?.mount !== gone || stream.stream_ops === closed) continue;
      if (stream.nfd !== undefined) streamOps.close(stream);
      stream.stream_ops = closed;
    }
    FS.unmount(inside);
    mounted.delete(inside);
    clear(inside);
  };
  // From the first request on /dev and /proc stay as they are, and the root stays everyone's.
  const refuse = () => { throw new FS.ErrnoError(ERRNO.notPermitted); };
  const fixed = new Set();
  const fix = (folder) => {
    FS.chmod(folder, 0o555);
    const { node } = FS.lookupPath(folder);
    node.node_ops = { ...node.node_ops, setattr: refuse };
    fixed.add(node);
    for (const name of FS.readdir(folder)) {
      const { node: inner } = FS.lookupPath(`${folder}/${name}`, { follow: false });
      if (name !== "." && name !== ".." && FS.isDir(inner.mode) && inner.mount === FS.root.mount) fix(`${folder}/${name}`);
    }
  };
  const seal = () => {
    ["/dev", "/proc"].forEach(fix);
    const { rename } = FS.root.node_ops;
    FS.root.node_ops = { ...FS.root.node_ops, setattr: refuse, rename: (n, ...to) => fixed.has(n) ? refuse() : rename(n, ...to) };
  };

  // Remove what programs left in memory at a path, mounts excepted.
  const clear = (at) => {
    let found;
    try { found = FS.lookupPath(at, { follow: false, follow_mount: false }).node; } catch { return; }
    if (FS.isMountpoint(found) || fixed.has(found)) return;
    if (!FS.isDir(found.mode)) { FS.unlink(at); return; }
    if (at !== "/") FS.chmod(at, 0o777);
    for (const name of FS.readdir(at)) if (name !== "." && name !== "..") clear(`${at === "/" ? "" : at}/${name}`);
    if (at !== "/" && FS.readdir(at).length === 2) FS.rmdir(at);
  };
  // Is there nothing to clear? Asked before each tactic, so it looks only where something could lie.
  let tmp, mode;
  const clean = () => tmp !== undefined && FS.cwd() === "/" && tmp.mode === mode && Object.keys(tmp.contents).length === 0
    && FS.root.contents.tmp === tmp && Object.values(FS.root.contents).every((n) => n === tmp || n.mounted || fixed.has(n));

  return {
    mount, unmount,
    // Have exactly these folders at /build-…: [[path inside, folder of the host], …]. A request finds nothing that programs
    // of an earlier one have left, unless both are of one owner: of one session, or of one project, which is its first folder.
    show(mounts, session) {
      if (!fixed.size) seal();
      const wanted = new Map(mounts), owner = session ?? mounts[0]?.[0];
      for (const [inside, outside] of [...mounted]) if (inside.startsWith("/build-") && wanted.get(inside) !== outside) unmount(inside);
      if ((owner === undefined || owner !== last) && !clean()) {
        FS.chdir("/");
        clear("/");
        tmp = FS.mkdir("/tmp");
        mode = tmp.mode;
      }
      last = owner;
      for (const [inside, outside] of wanted) if (!mounted.has(inside)) mount(inside, outside);
    },
  };
};
