import { joinName, readName } from '#vocabulary/written-values'
import { type CellConverter, limitLength, NO_VALUES, oneValue } from '#transfer/import/convert/conversion'

export const personalNameConverter: CellConverter = {
  convert: limitLength((text) => (text.trim() === '' ? NO_VALUES : oneValue(readName(text)))),
  parts: {
    names: ['first_name', 'last_name', 'full_name'],
    convert({ first_name = '', last_name = '', full_name }) {
      const name = joinName(first_name, last_name)
      return oneValue(full_name === undefined ? name : { ...name, full_name })
    },
  },
}
