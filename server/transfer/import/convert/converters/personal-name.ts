import { type CellConverter, NO_VALUES, oneValue } from '#transfer/import/convert/conversion'
import { limitLength } from '#transfer/import/convert/limits'
import { joinName, readName } from '#transfer/import/convert/readers/names'

export const personalName: CellConverter = {
  convert: limitLength((text) => (text.trim() === '' ? NO_VALUES : oneValue(readName(text)))),
  parts: {
    names: ['first_name', 'last_name', 'full_name'],
    convert({ first_name = '', last_name = '', full_name }) {
      const name = joinName(first_name, last_name)
      return oneValue(full_name === undefined ? name : { ...name, full_name })
    },
  },
}
