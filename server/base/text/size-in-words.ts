/** Renders a size in decimal units, such as "512 kB" or "1.5 MB". Rounds down. */
export function sizeInWords(bytes: number): string {
  const [divisor, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, 'bytes']
  return `${Math.floor((100 * bytes) / divisor) / 100} ${unit}`
}

const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const
