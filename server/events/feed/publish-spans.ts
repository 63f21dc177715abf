/** The spans of a batch: for each trace, the time that its events waited in the outbox, and their publication. */

import { newSpanId, parseTraceparent, renderTraceparent, type TraceContext } from '#base/monitoring/trace-context'
import { spanTime, type Tracer } from '#base/monitoring/tracer'
import { microsFromPostgres } from '#base/timing/clock'

interface Publication {
  readonly parent: TraceContext
  readonly context: TraceContext
  /** When the first of its events happened, in milliseconds since 1970. */
  occurredAt: number
  events: number
}

export interface BatchSpans {
  /** Adds an event with a `traceparent`, and returns the one that its deliveries get. `occurredAt` is as PostgreSQL prints it. */
  add(traceparent: string | undefined, occurredAt: string): string | undefined
  /** Call it when the batch is committed. */
  end(): void
}

export function beginBatchSpans(tracer: Tracer): BatchSpans {
  const startedAt = spanTime()
  const publications = new Map<string, Publication>()

  function publicationOf(traceparent: string): Publication | undefined {
    const known = publications.get(traceparent)
    const parent = known === undefined ? parseTraceparent(traceparent) : undefined
    if (parent === undefined) return known
    const publication = { parent, context: { ...parent, spanId: newSpanId() }, occurredAt: startedAt, events: 0 }
    publications.set(traceparent, publication)
    return publication
  }

  return {
    add(traceparent, occurredAt) {
      const publication = traceparent === undefined ? undefined : publicationOf(traceparent)
      if (publication === undefined) return undefined
      publication.events += 1
      publication.occurredAt = Math.min(publication.occurredAt, microsFromPostgres(occurredAt) / 1000)
      return renderTraceparent(publication.context)
    },
    end() {
      const endedAt = spanTime()
      for (const { parent, context, occurredAt, events } of publications.values()) {
        const of = { parentSpanId: parent.spanId, attributes: { 'relata.events': events }, isError: false }
        tracer.record({
          ...of,
          context: { ...parent, spanId: newSpanId() },
          name: 'outbox',
          kind: 'internal',
          startedAt: occurredAt,
          endedAt: startedAt,
        })
        tracer.record({ ...of, context, name: 'publish', kind: 'producer', startedAt, endedAt })
      }
    },
  }
}
