/** The first event of a delivered body, formatted for editing. */
export function firstEventIn(body: string): string {
  try {
    const { events } = JSON.parse(body) as { events?: unknown[] } // the body of a delivery; other text is shown unchanged
    return JSON.stringify(events?.[0] ?? {}, null, 2)
  } catch {
    return body
  }
}
