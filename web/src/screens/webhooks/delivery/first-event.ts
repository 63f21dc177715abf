/** The event in the envelope that was sent, ready to be edited. */
export function firstEventIn(body: string): string {
  try {
    const { events } = JSON.parse(body) as { events?: unknown[] } // what the service makes; anything else is shown whole
    return JSON.stringify(events?.[0] ?? {}, null, 2)
  } catch {
    return body
  }
}
