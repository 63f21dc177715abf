/** Email addresses and telephone numbers. */

import { type CellConverter, convertEach, oneValue, skipBlank } from '#transfer/import/convert/conversion'
import { splitEmails, splitPhones } from '#transfer/import/convert/readers/contacts'

export const emailAddressConverter: CellConverter = {
  convert: skipBlank((text) => convertEach(splitEmails(text), oneValue)),
}

export const phoneNumberConverter: CellConverter = {
  convert: skipBlank((text, { country, attribute }) =>
    convertEach(attribute.is_multiselect ? splitPhones(text) : [text.trim()], (part) =>
      oneValue(country === undefined ? part : { original_phone_number: part, country_code: country }),
    ),
  ),
}
