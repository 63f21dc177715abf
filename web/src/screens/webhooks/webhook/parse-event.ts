/** An event as somebody wrote it, or what is wrong with it. */
export function parseEvent(text: string): { event?: Record<string, unknown>; problem?: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'An event is an object: it begins with { and ends with }.' }
    }
    return { event: { ...value } }
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
