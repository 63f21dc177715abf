/** What a formula can name, for the completions of its editor. */

import type { Attribute } from '../../../api/data-model/attributes'
import type { SqlTable } from '../../sql/tables'
import { attributeTypeOf } from '../../../values/attribute-types'
import { valueTypeOf } from '../../../values/registry'

/** References and actors are no scalars. */
const isNameable = (attribute: Attribute): boolean =>
  !attribute.is_archived && valueTypeOf(attribute).isReference !== true && !['actor-reference'].includes(attribute.type)

/** The types of composite values, whose fields the editor completes. */
const COMPOSITE: ReadonlySet<string> = new Set(['personal-name', 'location', 'interaction'])

export const formulaColumns = (attributes: readonly Attribute[]): SqlTable['columns'] =>
  attributes.filter(isNameable).map(({ api_slug, type }) => ({
    name: api_slug,
    type: COMPOSITE.has(type) ? type.replaceAll('-', '_') : attributeTypeOf(type).label.toLowerCase(),
  }))
