/** Parses, stores and renders values with a type as the service does, for the tests of this folder. */

import type { Attribute } from '#engine/data-model/model'
import { ApiError, InvalidValue, type ValidationIssue } from '#base/errors/api-error'
import type { Operator, RecordLookup, Stored } from '#engine/attribute-types/define'
import { parseValue } from '#engine/attribute-types/definition/parse-value'
import { attributeType } from '#engine/attribute-types/registry'
import { COMPANIES, id, model, PEOPLE, USERS } from './sample-model'

/** The existing records: one of each of three objects, with its unique value. */
export const RECORDS = {
  company: { object: COMPANIES, id: id(901), key: 'relata.dev' },
  person: { object: PEOPLE, id: id(902), key: 'ada@relata.dev' },
  user: { object: USERS, id: id(903), key: id(77) },
} as const

const lookup: RecordLookup = {
  recordExists: async (object, recordId) =>
    Object.values(RECORDS).some((record) => record.object === object && record.id === recordId),
  findRecordByKey: async (object, _attribute, key) =>
    Object.values(RECORDS).find((record) => record.object === object && record.key === key)?.id,
}

/** Returns the stored value of a raw value; undefined when it means "no value". */
export async function store(raw: unknown, attribute: Attribute): Promise<Stored | undefined> {
  const parsed = parseValue(raw, attribute, model)
  if (parsed === undefined) return undefined
  const type = attributeType(attribute.type)
  return type.resolve ? await type.resolve(parsed, attribute, model, lookup) : (parsed as Stored) // without `resolve` it is stored as parsed
}

/** Renders a stored value for clients. */
export function read(stored: Stored, attribute: Attribute): Record<string, unknown> {
  const render = attributeType(attribute.type).render(attribute, model)
  return JSON.parse(`{${render(stored)}}`)
}

/** Writes a raw value and renders the stored value for clients. */
export async function write(raw: unknown, attribute: Attribute): Promise<Record<string, unknown> | undefined> {
  const stored = await store(raw, attribute)
  return stored && read(stored, attribute)
}

/** Returns the issues for which a raw value is refused. */
export async function refusal(raw: unknown, attribute: Attribute): Promise<ValidationIssue[]> {
  const error = await failure(raw, attribute)
  if (error instanceof InvalidValue) return error.issues
  throw error
}

/** Returns the error of the catalogue for a raw value. */
export async function apiError(raw: unknown, attribute: Attribute): Promise<ApiError> {
  const error = await failure(raw, attribute)
  if (error instanceof ApiError) return error
  throw error
}

async function failure(raw: unknown, attribute: Attribute): Promise<unknown> {
  try {
    await store(raw, attribute)
  } catch (error) {
    return error
  }
  throw new Error(`${JSON.stringify(raw)} was accepted.`)
}

/** Returns the parsed operand of a property. */
export function operand(raw: unknown, attribute: Attribute, name: string, operator: Operator = '$eq') {
  const property = attributeType(attribute.type).properties[name]
  if (!property) throw new Error(`${attribute.type} has no property ${name}.`)
  return property.operand(raw, attribute, model, operator)
}
