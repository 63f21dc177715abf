/** Schemas that several resources of the console use. */

import { Type } from 'typebox'

/** One line of text with a visible character: spaces, then a character that is no space, then any characters. */
export const Name = Type.String({
  maxLength: 200,
  pattern: '^[^\\S\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$',
})

/** One line of text, which may be empty because some people have only one name. */
export const SecondName = Type.String({ maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f]*$' })

export const EmailAddress = Type.String({ maxLength: 320, pattern: '^[^\\s@<>"(),:;]+@[^\\s@<>"(),:;]+$' })

/** The rules of passwords check the length, with a message that says what to do. */
export const Password = Type.String({ maxLength: 10_000 })
