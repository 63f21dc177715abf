/**
 * An actor of the workspace. A write can name only members; a read can show any actor.
 * See docs/reference/values.md (Actor reference).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { type Actor, type DataModel, type Member, ModelVersionConflict } from '#engine/data-model/model'
import { InvalidValue, type ValidationIssue } from '#base/errors/api-error'
import { unknownMember } from '#base/errors/records'
import { defineReferringType } from './define'
import { byMember, stringOperand, wrongOperand } from './definition/properties'
import { isUuid } from '#vocabulary/uuids'

export const ACTOR_TYPES = ['api-token', 'workspace-member', 'system', 'app'] as const

/** The system: actor number 0, without id. */
const SYSTEM: Actor = { type: 'system', id: null }

export const actorReference = defineReferringType({
  type: 'actor-reference',
  allows: { ...ALLOWED_SETTINGS['actor-reference'], match: false, null: true },
  dynamicDefault: 'actor',

  // Either both of the first two, or the address.
  input: Type.Object({
    referenced_actor_type: Type.Optional(Type.Enum(['workspace-member'])),
    referenced_actor_id: Type.Optional(Type.String({ format: 'uuid' })),
    workspace_member_email_address: Type.Optional(Type.String()),
  }),
  shortForm: Type.String({ description: 'The id or the email address of a member.' }),
  shorthand(raw) {
    if (typeof raw !== 'string') return raw
    if (!isUuid(raw.trim())) return { workspace_member_email_address: raw }
    return { referenced_actor_type: 'workspace-member', referenced_actor_id: raw.trim() }
  },
  parse(input) {
    if (input.workspace_member_email_address !== undefined) return input.workspace_member_email_address.trim()
    if (input.referenced_actor_type && input.referenced_actor_id) return input.referenced_actor_id
    throw new InvalidValue(
      ['referenced_actor_type', 'referenced_actor_id'].filter((key) => !(key in input)).map(required),
    )
  },
  resolve(idOrEmail, _attribute, model) {
    const member = findMember(model, idOrEmail)
    if (!member) throw unknownMember(idOrEmail)
    return { actor: member.actor }
  },

  columns: { actor: 'int' },
  key: ({ actor }) => String(actor),

  sql: { form: 'actor', column: 'actor' },
  output: Type.Object({
    referenced_actor_type: Type.Enum([...ACTOR_TYPES]),
    referenced_actor_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
  }),
  render(_attribute, model) {
    const texts = memorised((number) => {
      const { type, id } = getActor(model, number)
      return `"referenced_actor_type":"${type}","referenced_actor_id":${JSON.stringify(id)}`
    })
    return ({ actor }) => texts(actor ?? 0)
  },

  properties: {
    referenced_actor_type: {
      source: 'numbers',
      column: 'actor',
      operators: ['$eq', '$not_empty'],
      together: 'referenced_actor_id',
      operand(raw, _attribute, model) {
        const named = stringOperand(raw)
        return actorsWhere(model, ({ type }) => type === named)
      },
      ranked: byMember,
    },
    referenced_actor_id: {
      source: 'numbers',
      column: 'actor',
      operators: ['$eq', '$not_empty', '$relative'],
      together: 'referenced_actor_type',
      operand(raw, _attribute, model) {
        if (raw !== null && typeof raw !== 'string') throw wrongOperand('string or null', raw)
        const named = raw?.toLowerCase() ?? null
        return actorsWhere(model, ({ id }) => id === named)
      },
      ranked: byMember,
    },
  },
  defaultProperty: null,
  defaultSort: 'referenced_actor_id',
})

const actorRenderers = new WeakMap<DataModel, (number: number) => string>()

/** Renders the actor of a number as JSON text, `{"type":"workspace-member","id":"…"}`. Compiled once per data model. */
export function renderActor(model: DataModel): (number: number) => string {
  const cached = actorRenderers.get(model)
  if (cached) return cached
  const render = memorised((number) => {
    const { type, id } = getActor(model, number)
    return JSON.stringify({ type, id })
  })
  actorRenderers.set(model, render)
  return render
}

/** The numbers under which a member acts, as the operand of a filter. */
export function memberOperand(raw: unknown, model: DataModel): readonly number[] {
  const member = model.membersById.get(stringOperand(raw).toLowerCase())
  return member ? [member.actor] : []
}

/** A member by id or by email address, both case-insensitive. */
export const findMember = ({ membersById, membersByEmail }: DataModel, idOrEmail: string): Member | undefined =>
  membersById.get(idOrEmail.toLowerCase()) ?? membersByEmail.get(idOrEmail.toLowerCase())

/** Throws `ModelVersionConflict` for an actor that the model lacks. */
export function getActor(model: DataModel, number: number): Actor {
  if (number === 0) return SYSTEM
  const actor = model.actors.get(number)
  if (!actor) throw new ModelVersionConflict(`Actor ${number} is not known.`)
  return actor
}

function actorsWhere(model: DataModel, holds: (actor: Actor) => boolean): readonly number[] {
  const others = [...model.actors].filter(([, actor]) => holds(actor)).map(([number]) => number)
  return holds(SYSTEM) ? [0, ...others.filter((number) => number !== 0)] : others
}

function memorised(make: (number: number) => string): (number: number) => string {
  const texts = new Map<number, string>()
  return (number) => {
    let text = texts.get(number)
    if (text === undefined) texts.set(number, (text = make(number)))
    return text
  }
}

const required = (member: string): ValidationIssue => ({
  code: 'invalid_type',
  path: [member],
  message: 'Required',
  expected: 'string',
  received: 'undefined',
})
