/** From what a cell says to what is stored of it, without what its attribute's type refuses. */

import type { RecordLookup, Stored } from '../../attribute-types/define'
import { parseValue } from '../../attribute-types/definition/parse-value'
import { attributeType } from '../../attribute-types/registry'
import type { Attribute, DataModel } from '../../data-model/model'
import { ApiError, InvalidValue } from '../../errors/errors'
import type { Assignment } from '../../entities/write/parse-values'
import type { ConversionResult } from './conversion'

/** What the cells of one attribute came to. */
export interface StoredCells extends Assignment {
  readonly values: readonly Stored[]
  readonly problems: readonly string[]
  /** Values that belong to other attributes, by slug. */
  readonly forOtherAttributes: Readonly<Record<string, string>>
}

export interface ValueContext {
  readonly model: DataModel
  readonly lookup: RecordLookup
}

export const NO_OTHER_ATTRIBUTES: StoredCells['forOtherAttributes'] = {}

/** Of values other than references: whatever they name, the data model knows. */
export function store(
  storing: ValueContext,
  attribute: Attribute,
  { values: raws, problems, forOtherAttributes = NO_OTHER_ATTRIBUTES }: ConversionResult,
): StoredCells {
  const values: Stored[] = []
  let reasons: string[] | undefined
  for (const raw of raws) {
    try {
      const value = storedValue(storing, attribute, raw) as Stored | undefined // nothing has to be waited for
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons ??= [...problems]
      reasons.push(refusalIn(error))
    }
  }
  return { attribute, values, problems: reasons ?? problems, forOtherAttributes }
}

/** Of references, which have to be looked up. */
export async function lookUp(
  storing: ValueContext,
  attribute: Attribute,
  { values: raws, problems }: ConversionResult,
): Promise<StoredCells> {
  const values: Stored[] = []
  const reasons = [...problems]
  for (const raw of raws) {
    try {
      const value = await storedValue(storing, attribute, raw)
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons.push(refusalIn(error))
    }
  }
  return { attribute, values, problems: reasons, forOtherAttributes: NO_OTHER_ATTRIBUTES }
}

/** Undefined for what means no value. */
function storedValue({ model, lookup }: ValueContext, attribute: Attribute, raw: unknown) {
  const parsed = parseValue(raw, attribute, model)
  if (parsed === undefined) return undefined
  const { resolve } = attributeType(attribute.type)
  // Without `resolve`, parsing gives the stored form.
  return resolve ? resolve(parsed, attribute, model, lookup) : (parsed as Stored)
}

/** Throws what is no refusal of a value. */
function refusalIn(error: unknown): string {
  if (error instanceof InvalidValue || error instanceof ApiError) return error.message
  throw error
}
