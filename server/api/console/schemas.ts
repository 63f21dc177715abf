/** Schemas that several resources of the console use. */

import { type Static, type TSchema, Type } from 'typebox'
import type { Scope } from '#vocabulary/scopes'

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

export const Timestamp = Type.String({ format: 'date-time' })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const answerOf = <T extends TSchema>(data: T) => Type.Object({ data })

export const listOf = <T extends TSchema>(item: T) => answerOf(Type.Array(item))

/** An array that only its maker changes. */
export const readonlyArray = <T extends TSchema>(item: T) => Type.Unsafe<readonly Static<T>[]>(Type.Array(item))

/** The answer of a write that returns nothing. */
export const Done = answerOf(Type.Object({}))

/** The same without `data`. */
export const Nothing = Type.Object({})

export const Pagination = Type.Object({ next_cursor: nullable(Type.String()) })

/** A scope as text, which the console knows by name. */
export const ScopeName = Type.Unsafe<Scope>(Type.String())

/** The member who created something. */
export const Creator = Type.Object({
  workspace_member_id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
})
