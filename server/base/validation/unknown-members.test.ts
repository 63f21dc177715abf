import { expect, test } from 'bun:test'
import { Type, type TSchema } from 'typebox'
import { compileUnknownMembers } from './unknown-members'

const Shape = Type.Union([
  Type.Object({ kind: Type.Literal('circle'), at: Type.Object({ x: Type.Number() }) }),
  Type.Object({ kind: Type.Literal('square'), at: Type.Object({ y: Type.Number() }) }),
  Type.Null(),
])

test.each<[name: string, schema: TSchema, value: unknown, found: string[]]>([
  ['a member', Type.Object({ a: Type.String() }), { a: 'x', b: 1 }, ['/b']],
  ['a member of a member', Type.Object({ a: Type.Object({}) }), { a: { b: 1 } }, ['/a/b']],
  ['a member of an element', Type.Array(Type.Object({})), [{}, { 'a/~': 1 }], ['/1/a~1~0']],
  ['no member of a record', Type.Record(Type.String(), Type.Object({})), { a: { b: 1 } }, []],
  ['no member of an open object', Type.Object({}, { additionalProperties: true }), { a: 1 }, []],
  ['no member of an unknown value', Type.Object({ a: Type.Unknown() }), { a: { b: 1 } }, []],
  ['no member of any branch', Shape, { kind: 'circle', at: { x: 1, y: 1 } }, []],
  ['a member that no branch has', Shape, { kind: 'circle', at: { z: 1 }, size: 1 }, ['/at/z', '/size']],
  ['no member beside a branch that is open', Type.Union([Shape, Type.Unknown()]), { any: 1 }, []],
  ['a member of several parts', Type.Intersect([Shape, Type.Object({ b: Type.Integer() })]), { b: 1, c: 1 }, ['/c']],
  [
    'a name of the prototype',
    Type.Object({}),
    JSON.parse('{"__proto__":1,"constructor":1}'),
    ['/__proto__', '/constructor'],
  ],
  [
    'no more than the limit',
    Type.Object({}),
    Object.fromEntries([...'abcdef'].map((name) => [name, 1])),
    ['/a', '/b', '/c'],
  ],
])('finds %s', (_, schema, value, found) => {
  expect(compileUnknownMembers(schema, 3)(value)).toEqual(found)
})
