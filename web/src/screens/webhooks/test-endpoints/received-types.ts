/** The event types of a request from a webhook, such as `record.created, record.updated`; undefined for other bodies. */
export function receivedTypes(body: string): string | undefined {
  const types = new Set(eventsIn(body).flatMap((event) => (isTyped(event) ? [event.event_type] : [])))
  return types.size === 0 ? undefined : [...types].join(', ')
}

function eventsIn(body: string): readonly unknown[] {
  try {
    const { events } = JSON.parse(body) ?? {}
    return Array.isArray(events) ? events : []
  } catch {
    return [] // the body of another sender
  }
}

const isTyped = (event: unknown): event is { readonly event_type: string } =>
  typeof event === 'object' && event !== null && 'event_type' in event && typeof event.event_type === 'string'
