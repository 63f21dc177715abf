/** The kinds of requests that the bench of SCIM sends. */

import type { Directory } from './seed'

export interface Kind {
  readonly name: string
  readonly make: (
    directory: Directory,
    n: number,
  ) => { readonly method: string; readonly path: string; readonly body?: object }
}

const patch = (Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
const get = (path: string) => ({ method: 'GET', path })
const filter = (text: string) => `filter=${encodeURIComponent(text)}`
const pick = (ids: readonly string[], n: number): string => ids[(n * 7919) % ids.length] ?? ''

export const REQUESTS: readonly Kind[] = [
  { name: 'the first page of users', make: () => get('/Users?count=100') },
  { name: 'the last page of users', make: () => get('/Users?startIndex=9901&count=100') },
  { name: 'a user by userName', make: (_, n) => get(`/Users?${filter(`userName eq "USER-${n * 37}@bench.example"`)}`) },
  { name: 'a user by externalId', make: (_, n) => get(`/Users?${filter(`externalId eq "external-${n * 41}"`)}`) },
  { name: 'users by a part of the userName', make: (_, n) => get(`/Users?${filter(`userName co "-${n}@"`)}`) },
  { name: 'a user by id', make: ({ users }, n) => get(`/Users/${pick(users, n)}`) },
  { name: 'a page of groups with members', make: () => get('/Groups?count=100') },
  {
    name: 'a group by displayName, without members',
    make: (_, n) => get(`/Groups?excludedAttributes=members&${filter(`displayName eq "group ${n}"`)}`),
  },
  {
    name: 'whether a user is in the largest group',
    make: ({ largest, users }, n) =>
      get(`/Groups?excludedAttributes=members&${filter(`id eq "${largest}" and members eq "${pick(users, n)}"`)}`),
  },
  {
    name: 'add a member to a group',
    make: ({ groups, users }, n) => ({
      method: 'PATCH',
      path: `/Groups/${pick(groups, n)}?excludedAttributes=members`,
      body: patch([{ op: 'add', path: 'members', value: [{ value: pick(users, n) }] }]),
    }),
  },
  {
    name: 'rename a user',
    make: ({ users }, n) => ({
      method: 'PATCH',
      path: `/Users/${pick(users, n)}`,
      body: patch([{ op: 'replace', path: 'name.givenName', value: `Renamed ${n}` }]),
    }),
  },
  {
    name: 'create a user on a verified domain',
    make: (_, n) => ({ method: 'POST', path: '/Users', body: { userName: `new-${n}@bench.example` } }),
  },
]
