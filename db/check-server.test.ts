import { describe, expect, test } from 'bun:test'
import { findServerProblem } from './check-server'
import { explainConnectionError, StartError } from './connect'

const good = {
  version: 150_004,
  role: 'app',
  database: 'crm',
  is_standby: false,
  is_read_only: false,
  is_utf8: true,
  may_create_schemas: true,
  has_settings: true,
  may_use_schema: true,
}

describe('problemOf', () => {
  test.each([
    [{}, undefined],
    [{ version: 180_004 }, undefined],
    [{ may_use_schema: null }, undefined],
    [{ version: 140_011 }, 'PostgreSQL 14 is too old: Relata needs 15 or newer.'],
    [{ is_standby: true }, 'The database "crm" is a read-only standby; set DATABASE_URL to the primary server.'],
    [
      { is_read_only: true },
      'The database "crm" is read-only (default_transaction_read_only is on); let the role "app" write to it.',
    ],
    [
      { has_settings: false },
      'A connection pooler drops the settings of connections, such as time limits: let DATABASE_URL name PostgreSQL itself. See docs/scaling.md.',
    ],
    [{ is_utf8: false }, 'The database "crm" must have the encoding UTF8; make it with createdb -E UTF8.'],
    [
      { may_create_schemas: false },
      'The role "app" may not create schemas, which each workspace needs: grant create on database "crm" to "app";',
    ],
    [
      { may_use_schema: false },
      'The role "app" may not use the schema "relata" of database "crm", which belongs to another role: start with that role.',
    ],
  ])('%j', (server, problem) => expect(findServerProblem({ ...good, ...server })).toBe(problem))
})

describe('explainFailure', () => {
  const url = 'postgres://app:secret@db.example:5433/crm'

  test.each([
    ['ECONNREFUSED', 'PostgreSQL cannot be reached at db.example:5433'],
    ['ENOTFOUND', 'The host db.example of DATABASE_URL is not known'],
    ['28P01', 'PostgreSQL at db.example:5433 refuses the user or password'],
    ['3D000', 'PostgreSQL at db.example:5433 has no database "crm"'],
    ['42501', 'The role "app" of DATABASE_URL lacks a right'],
    ['08P01', 'A connection pooler at db.example:5433 does not support Relata: the cause.'],
    ['53300', 'PostgreSQL at db.example:5433 takes no connections now'],
  ])('%s', (code, message) => {
    const explained = explainConnectionError(Object.assign(new Error('the cause'), { code }), url)
    expect(explained).toBeInstanceOf(StartError)
    expect(String(explained)).toContain(message)
    expect(String(explained)).not.toContain('secret')
  })

  test.each([
    ['an error without a code', new Error('a bug')],
    ['a code it does not know', Object.assign(new Error('odd'), { code: 'XX000' })],
    ['what is no error', 'text'],
  ])('hands back %s', (_, error) => expect(explainConnectionError(error, url)).toBe(error))
})
