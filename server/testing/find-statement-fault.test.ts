import { describe, expect, test } from 'bun:test'
import { findStatementFault } from './find-statement-fault'

describe('a statement without a fault', () => {
  test.each([
    ['over workspace tables', 'select * from "w_1"."o_1" join "w_1".history h on h.entity_id = id'],
    ['over control tables', 'insert into relata.tags (name) select name from relata.notes'],
    ['with a function that workspace statements may call', 'select relata.joined_text(a_1_value) from "w_1"."o_1"'],
    ['over the catalogue and control tables', 'select from pg_class, relata.workspaces'],
    ['with a name in a text', `select 'relata.notes; select 1' from "w_1"."o_1"`],
    ['a migration', '-- migration 0001_first\ncreate table relata.a (); create table relata.b ()'],
    ['an empty one', ' '],
    ['one that does not parse', 'select * form "w_1"."o_1", relata.notes'],
  ])('%s', (_, text) => {
    expect(findStatementFault(text)).toBeUndefined()
  })
})

const NOTES = 'A statement names the control table notes and a table of w_1.'

describe('a statement with a fault', () => {
  test.each([
    ['two commands', 'select 1; select 2', 'A message has 2 commands.'],
    ['a join', 'select * from "w_1"."o_1", relata.notes', NOTES],
    ['a subselect', 'select (select count(*) from relata.notes) from w_1.o_1', NOTES],
    ['a step', 'with n as (select from relata.notes) select * from "w_1"."o_1", n', NOTES],
    ['an insert', 'insert into "w_1"."o_1" (id) select id from relata.notes', NOTES],
    ['an update', 'update relata.notes n set title = h.a from "w_1"."o_1" h where h.id = n.id', NOTES],
    ['a deletion', 'delete from relata.notes using "w_1"."o_1" h', NOTES],
    ['a merge', 'merge into "w_1"."o_1" h using relata.notes n on n.id = h.id when matched then do nothing', NOTES],
    ['a lock', 'lock table "w_1"."o_1", relata.notes', NOTES],
    ['a foreign key', 'alter table "w_1"."o_1" add foreign key (a) references relata.notes (id)', NOTES],
    ['names in upper case', 'select from W_1.o_1, RELATA.notes', NOTES],
    ['a name with an escape', String.raw`select from U&"\0077_1".o_1, U&"rel\0061ta".notes`, NOTES],
    ['two workspaces', 'select from "w_1"."o_1", "w_2"."o_1"', 'A statement names tables of w_1 and w_2.'],
    [
      'a function of the control schema',
      'select relata.note_title_lexemes(id, a) from "w_1"."o_1"',
      'A statement calls relata.note_title_lexemes and names a table of w_1.',
    ],
    [
      'an advisory lock',
      'select pg_try_advisory_xact_lock(number) from "w_1"."o_1"',
      'A statement calls pg_try_advisory_xact_lock and names a table of w_1.',
    ],
    ['a notification', 'select pg_notify(a, b) from w_1.o_1', 'A statement calls pg_notify and names a table of w_1.'],
  ])('%s', (_, text, fault) => {
    expect(findStatementFault(text)).toBe(fault)
  })
})
