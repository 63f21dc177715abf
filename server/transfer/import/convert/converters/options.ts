/** Options by title: select and status. */

import { findOption } from '#engine/attribute-types/definition/options'
import type { Attribute } from '#engine/data-model/model'
import { type CellConverter, convertEach, limitLength, oneValue, unreadable } from '#transfer/import/convert/conversion'
import { splitList } from '#transfer/import/convert/readers/lists'
import { findOptionTitle } from '#transfer/import/convert/readers/option-titles'

export const optionsConverter: CellConverter = {
  convert: limitLength((text, { attribute }) => {
    const isOption = (title: string) => findOptionTitle(attribute, title) !== undefined
    return convertEach(splitTitlesConverter(text, attribute, isOption), (title) => {
      const found = findOptionTitle(attribute, title) ?? findOption(attribute, title, 'current')?.title
      return found === undefined
        ? unreadable(`"${title}" is not an option of "${attribute.api_slug}"`)
        : oneValue(found)
    })
  }),
}

/** The titles that a cell names. For an attribute with a single value, the whole cell is one title. */
export const splitTitlesConverter = (
  text: string,
  { is_multiselect }: Pick<Attribute, 'is_multiselect'>,
  isOption: (title: string) => boolean,
): string[] => (is_multiselect ? splitList(text, isOption) : [text.trim()].filter((title) => title !== ''))
