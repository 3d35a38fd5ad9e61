// What was used last, as much of it as a page may keep.

/** Characters of JSON that are kept of one thing. */
const most = 16 << 20;
/** Characters that stand for what a value costs beside its text. */
const overhead = 1024;

/** Values by key with their sizes in characters; those used longest ago go first, but never the last two. */
export class Recent {
  constructor() {
    [this.known, this.total] = [new Map(), 0];
  }

  has(key) {
    return this.known.has(key);
  }

  keys() {
    return [...this.known.keys()];
  }

  /** The value, which was not used now. */
  peek(key) {
    return this.known.get(key)?.value;
  }

  get(key) {
    const found = this.known.get(key);
    if (!found) return undefined;
    this.known.delete(key);
    this.known.set(key, found);
    return found.value;
  }

  set(key, value, size) {
    this.delete(key);
    this.known.set(key, { value, size: size + overhead });
    this.total += size + overhead;
    for (const old of this.known.keys()) {
      if (this.known.size <= 2 || this.total <= most) break;
      this.delete(old);
    }
    return value;
  }

  delete(key) {
    this.total -= this.known.get(key)?.size ?? 0;
    this.known.delete(key);
  }
}

/** A function that does the work once at a time, and once more when it was asked for meanwhile. */
export function oneAtATime(work) {
  let isAtWork = false, isWanted = false;
  return async () => {
    isWanted = true;
    if (isAtWork) return;
    isAtWork = true;
    try {
      while (isWanted) {
        isWanted = false;
        await work();
      }
    } finally {
      isAtWork = false;
    }
  };
}
