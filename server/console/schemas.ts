/** What several things at the console have in common. */

import { Type } from 'typebox'

/** One line of text with something to see in it: spaces, then a sign that is none, then anything. */
export const Name = Type.String({
  maxLength: 200,
  pattern: '^[^\\S\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$',
})

/** The same, which may be empty: not everybody has two names. */
export const SecondName = Type.String({ maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f]*$' })

export const EmailAddress = Type.String({ maxLength: 320, pattern: '^[^\\s@<>"(),:;]+@[^\\s@<>"(),:;]+$' })

/** Its length is checked with its other rules, which say what to do. */
export const Password = Type.String({ maxLength: 10_000 })
