/**
 * A reference to a record that exists: by its id or by a unique value.
 * See docs/reference/values.md (Record reference).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { ModelVersionConflict } from '#engine/data-model/model'
import { invalidValue } from '#base/errors/api-error'
import { unknownRecord } from '#base/errors/records'
import { defineConfig, defineReferringType } from './define'
import { EXACT_OPERATORS, stringOperand, wrongOperand } from './definition/properties'
import { findTarget, getTarget, readReference } from './formats/references'
import { isUuid } from '#vocabulary/uuids'

export const ReferenceConfig = Type.Object({
  allowed_objects: Type.Array(Type.String(), { minItems: 1, description: 'Slugs or ids.' }),
})

export const recordReference = defineReferringType({
  type: 'record-reference',
  allows: { ...ALLOWED_SETTINGS['record-reference'], match: false, null: true },
  config: defineConfig({
    member: 'record_reference',
    input: ReferenceConfig,
    initial: { record_reference: { allowed_object_ids: null } },
    parse({ allowed_objects }, model) {
      const ids = allowed_objects.map((slugOrId) => getTarget(model, slugOrId).id)
      return { record_reference: { allowed_object_ids: [...new Set(ids)] } }
    },
  }),
  refersToRecords: true,

  // Without `target_record_id`, one further member names a unique attribute and holds its value.
  input: Type.Union([
    Type.String(),
    Type.Object({
      target_object: Type.Optional(Type.String()),
      target_record_id: Type.Optional(Type.String({ format: 'uuid' })),
    }),
  ]),
  // `parse` reads bare strings, which may be an id or a unique value.
  shorthand: (raw) => raw,
  parse: readReference,
  async resolve({ object, id, match, written }, _attribute, _model, lookup) {
    if (id !== undefined && (await lookup.recordExists(object, id))) {
      return { target_object: object.number, target_record_id: id }
    }
    const found = match && (await lookup.findRecordByKey(object, match.attribute, match.key))
    if (found === undefined) throw unknownRecord(object.api_slug, written)
    return { target_object: object.number, target_record_id: found }
  },

  columns: { target_object: 'int', target_record_id: 'uuid' },
  indexed: ['target_record_id'],
  key: ({ target_object, target_record_id }) => `${target_object}:${target_record_id}`,

  sql: { form: 'reference', object: 'target_object', record: 'target_record_id' },
  output: Type.Object({ target_object: Type.String(), target_record_id: Type.String({ format: 'uuid' }) }),
  render(_attribute, { entityTypes }) {
    const targets = new Map(
      entityTypes.map(({ number, api_slug }) => [number, `"target_object":${JSON.stringify(api_slug)}`]),
    )
    return ({ target_object, target_record_id }) => {
      const target = targets.get(target_object ?? 0)
      if (target === undefined) throw new ModelVersionConflict(`Object ${target_object} is not known.`)
      return `${target},"target_record_id":"${target_record_id}"`
    }
  },

  properties: {
    target_object: {
      source: 'column',
      column: 'target_object',
      operators: ['$eq', '$not_empty'],
      operand(raw, _attribute, model) {
        const object = findTarget(model, stringOperand(raw))
        if (!object) throw invalidValue(`Cannot find object with slug/ID "${raw}".`)
        return object.number
      },
    },
    target_record_id: {
      source: 'column',
      column: 'target_record_id',
      operators: EXACT_OPERATORS,
      operand(raw) {
        const id = stringOperand(raw)
        if (!isUuid(id)) throw wrongOperand('record ID', raw)
        return id.toLowerCase()
      },
    },
  },
  defaultProperty: 'target_record_id',
  defaultSort: null,
})
