/** Computes the values of interaction attributes. See docs/reference/emails.md (Interaction attributes). */

import type { Stored } from '#engine/attribute-types/define'
import type { Attribute, ObjectType } from '#engine/data-model/model'
import { canonicalInstant } from '#engine/attribute-types/formats/instants'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type ConnectionStrength, computeStrength, nextChangeOfStrength } from './connection-strength'
import type { Touch } from './touch'

/** The value of each interaction attribute, by its slug; undefined without a value. */
export type InteractionValues = Readonly<Record<string, Stored | undefined>>

export interface Computed {
  readonly values: InteractionValues
  /** When time alone changes the values next. */
  readonly nextAt: Micros | undefined
}

/** `touches` may repeat one that several addresses have. */
export function computeInteractions(object: ObjectType, touches: readonly Touch[], now: Micros): Computed {
  const all = [...new Map(touches.map((touch) => [touch.id, touch])).values()].toSorted(compareTouches)
  const past = all.filter(({ at }) => at <= now)
  const emails = past.filter(({ kind }) => kind === 'email')
  const meetings = past.filter(({ kind }) => kind !== 'email')
  const next = all.find(({ kind, at }) => kind !== 'email' && at > now)
  const nextChanges = [next && next.at, nextChangeOfStrength(past, now)].filter((at) => at !== undefined)
  return {
    values: {
      first_email_interaction: renderTouch(emails[0]),
      last_email_interaction: renderTouch(emails.at(-1)),
      first_calendar_interaction: renderTouch(meetings[0]),
      last_calendar_interaction: renderTouch(meetings.at(-1)),
      next_calendar_interaction: renderTouch(next),
      first_interaction: renderTouch(past[0]),
      last_interaction: renderTouch(past.at(-1)),
      next_interaction: renderTouch(next),
      ...strengthValues(object, computeStrength(past, now)),
    },
    nextAt: nextChanges.length === 0 ? undefined : Math.min(...nextChanges),
  }
}

const compareTouches = (a: Touch, b: Touch): number => a.at - b.at || (a.id < b.id ? -1 : 1)

const renderTouch = (touch: Touch | undefined): Stored | undefined =>
  touch && {
    interaction_type: touch.kind,
    interacted_at: canonicalInstant(timestampFromMicros(touch.at)),
    owner_actor: touch.owner,
  }

function strengthValues({ attributes }: ObjectType, strength: ConnectionStrength | undefined): InteractionValues {
  const option = optionOf(attributes, strength?.title)
  return {
    strongest_connection_strength: option === undefined ? undefined : { option },
    strongest_connection_strength_legacy: strength && { value: strength.legacy },
    strongest_connection_user: strength && { actor: strength.owner },
  }
}

const optionOf = (attributes: readonly Attribute[], title: string | undefined): number | undefined =>
  attributes
    .find(({ api_slug }) => api_slug === 'strongest_connection_strength')
    ?.options.find((option) => option.title === title)?.number
