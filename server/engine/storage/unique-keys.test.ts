import { expect, test } from 'bun:test'
import { asUniqueKeyConflict, UniqueKeyConflict } from './unique-keys'

const KEYS = [{ attribute: 7, key: 'a@example.com' }]
const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

test.each([
  ['PostgreSQL', '23505', 'duplicate key value violates unique constraint "uniques_pkey"'],
  ['PostgreSQL in another language', '23505', 'doppelter Schlüsselwert verletzt Unique-Constraint »uniques_pkey«'],
  ['a node of Citus', '23505', 'duplicate key value violates unique constraint "uniques_pkey_102009"'],
  ['COPY on a node of Citus', 'XX000', 'duplicate key value violates unique constraint "uniques_pkey_102009"'],
])('a taken unique key is a conflict as %s reports it', (_, code, message) => {
  const conflict = asUniqueKeyConflict(failure(code, message), KEYS, 'id')
  expect(conflict).toBeInstanceOf(UniqueKeyConflict)
  expect(conflict).toMatchObject({ keys: KEYS, entityId: 'id' })
})

test.each([
  ['23505', 'duplicate key value violates unique constraint "o_1_pkey"'],
  ['23503', 'insert violates foreign key constraint "uniques_pkey_other"'],
])('another error stays as it is: %s', (code, message) => {
  const error = failure(code, message)
  expect(asUniqueKeyConflict(error, KEYS, 'id')).toBe(error)
})
