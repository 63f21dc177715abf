/** Converts values to stored values. Values that the attribute type refuses become problems. */

import type { RecordLookup, Stored } from '#engine/attribute-types/define'
import { parseValue } from '#engine/attribute-types/definition/parse-value'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { ApiError, InvalidValue } from '#base/errors/api-error'
import type { Assignment } from '#engine/entities/write/parse-values'
import type { ConversionResult } from './conversion'

/** The assignment that the cells of one attribute make. */
export interface StoredCells extends Assignment {
  readonly values: readonly Stored[]
  readonly problems: readonly string[]
  /** Texts for other attributes, by slug. */
  readonly forOtherAttributes: Readonly<Record<string, string>>
}

export interface ValueContext {
  readonly model: DataModel
  readonly lookup: RecordLookup
}

export const NO_OTHER_ATTRIBUTES: StoredCells['forOtherAttributes'] = {}

/** Stores values of every type but record references; the data model suffices for these. */
export function storeValues(
  context: ValueContext,
  attribute: Attribute,
  { values: raws, problems, forOtherAttributes = NO_OTHER_ATTRIBUTES }: ConversionResult,
): StoredCells {
  const values: Stored[] = []
  let reasons: string[] | undefined
  for (const raw of raws) {
    try {
      const value = storedValue(context, attribute, raw) as Stored | undefined // only references resolve to a promise
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons ??= [...problems]
      reasons.push(refusalReason(error))
    }
  }
  return { attribute, values, problems: reasons ?? problems, forOtherAttributes }
}

/** Stores record references, which have to be looked up. */
export async function storeReferences(
  context: ValueContext,
  attribute: Attribute,
  { values: raws, problems }: ConversionResult,
): Promise<StoredCells> {
  const values: Stored[] = []
  const reasons = [...problems]
  for (const raw of raws) {
    try {
      const value = await storedValue(context, attribute, raw)
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons.push(refusalReason(error))
    }
  }
  return { attribute, values, problems: reasons, forOtherAttributes: NO_OTHER_ATTRIBUTES }
}

/** Undefined when the raw value stands for no value. */
function storedValue({ model, lookup }: ValueContext, attribute: Attribute, raw: unknown) {
  const parsed = parseValue(raw, attribute, model)
  if (parsed === undefined) return undefined
  const { resolve } = attributeType(attribute.type)
  // Without `resolve`, parsing gives the stored form.
  return resolve ? resolve(parsed, attribute, model, lookup) : (parsed as Stored)
}

/** Rethrows an error that is not the refusal of a value. */
function refusalReason(error: unknown): string {
  if (error instanceof InvalidValue || error instanceof ApiError) return error.message
  throw error
}
