/** "512 kB", "1.5 MB": a size as settings count it, by thousands. Rounded down, so that it is never more than it is. */
export function sizeInWords(bytes: number): string {
  const [divisor, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, 'bytes']
  return `${Math.floor((100 * bytes) / divisor) / 100} ${unit}`
}

const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const
