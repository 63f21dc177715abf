/** The event in edited JSON, or the problem of the text. */
export function parseEvent(text: string): { event?: Record<string, unknown>; problem?: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'An event must be a JSON object: { … }' }
    }
    return { event: { ...value } }
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
