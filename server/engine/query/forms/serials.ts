/** Numbers objects, so that a key can name them by identity: an attribute of one data model is another object than that of the next. */

const serials = new WeakMap<object, number>()
let last = 0

export function serialOf(object: object): number {
  let serial = serials.get(object)
  if (serial === undefined) serials.set(object, (serial = ++last))
  return serial
}
