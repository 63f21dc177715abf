/**
 * A meeting, email, call or other interaction of a person or company, such as the first or the next. Only the service writes interactions.
 * See docs/reference/values.md (Interaction).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { immutableValue } from '#base/errors/records'
import { ACTOR_TYPES, memberOperand, renderActor } from './actor-reference'
import { defineAttributeType } from './define'
import { canonicalInstant, parseInstant, renderInstant } from './formats/instants'
import { byMember, temporal, stringOperand, textual } from './definition/properties'

const INTERACTION_TYPES = ['calendar-event', 'call', 'chat-thread', 'email', 'in-person-meeting', 'meeting'] as const

export type InteractionType = (typeof INTERACTION_TYPES)[number]

const Interaction = Type.Object({
  interaction_type: Type.Enum([...INTERACTION_TYPES]),
  interacted_at: Type.String(),
  owner_actor: Type.Object({
    type: Type.Enum([...ACTOR_TYPES]),
    id: Type.Union([Type.String(), Type.Null()]),
  }),
})

export const interaction = defineAttributeType({
  type: 'interaction',
  allows: { ...ALLOWED_SETTINGS.interaction, match: false, null: false },

  input: Interaction,
  shorthand: (raw) => raw,
  parse(_input, { api_slug }) {
    throw immutableValue(api_slug)
  },

  columns: { interaction_type: 'text', interacted_at: 'timestamptz', owner_actor: 'int' },
  key: (stored) => `${stored.interaction_type} ${canonicalInstant(String(stored.interacted_at))} ${stored.owner_actor}`,

  sql: {
    form: 'struct',
    type: 'interaction',
    fields: [
      { name: 'interaction_type', column: 'interaction_type' },
      { name: 'interacted_at', column: 'interacted_at' },
      { name: 'owner_actor_id', column: 'owner_actor', actor: true },
    ],
  },
  output: Interaction,
  render(_attribute, model) {
    const actor = renderActor(model)
    return (stored) =>
      `"interaction_type":"${stored.interaction_type}",` +
      `"interacted_at":"${renderInstant(String(stored.interacted_at), null)}",` +
      `"owner_actor":${actor(stored.owner_actor ?? 0)}`
  },

  properties: {
    owner_member_id: {
      source: 'numbers',
      column: 'owner_actor',
      operators: ['$eq', '$not_empty', '$relative'],
      operand: (raw, _attribute, model) => memberOperand(raw, model),
      ranked: byMember,
    },
    interaction_type: { ...textual('interaction_type'), operators: ['$eq', '$not_empty'] },
    interacted_at: temporal('interacted_at', (raw) => parseInstant(stringOperand(raw)).value),
  },
  defaultProperty: null,
  groupedBy: 'interacted_at',
  defaultSort: 'interacted_at',
})
