/** Formatted JSON; undefined for text that is no JSON object or array. */
export function pretty(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : undefined
  } catch {
    return undefined
  }
}
