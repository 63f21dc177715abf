import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { OWNER_PATHS, type OwnerPath, toChange, toRead } from '../../access/entity-type-path'
import type { Door } from '../../http/guard/route'
import { createAttribute } from './create'
import { deleteAttribute } from './delete'
import { listAttributes, readAttribute } from './get'
import { optionRoutes, statusRoutes } from './option-routes'
import {
  AttributeListResponse,
  AttributeResponse,
  CreateAttributeBody,
  ListQuery,
  UpdateAttributeBody,
} from './schemas'
import { OLDER_SCOPES } from './target'
import { updateAttribute } from './update'

const tag = 'Attributes'

/** Attributes of objects and of lists, with their options and statuses. */
export function attributeRoutes(door: Door) {
  const routes = new Elysia({ name: 'attributes' })
  for (const ownerPath of OWNER_PATHS) {
    routes.use(listRoutes(door, ownerPath)).use(singleRoutes(door, ownerPath))
    routes.use(optionRoutes(door, ownerPath)).use(statusRoutes(door, ownerPath))
  }
  return routes
}

const listRoutes = (door: Door, { path, name, read, write, find }: OwnerPath) =>
  new Elysia({ name: `attributes of ${path}` })
    .get(
      `${path}/attributes`,
      ...door(
        {
          operation: `list${name}Attributes`,
          summary: `List the attributes of ${name === 'List' ? 'a list' : 'an object'}`,
          description: 'In display order: those of the system, then custom ones by their creation.',
          tag,
          scopes: read,
          otherScopes: OLDER_SCOPES.read,
          query: ListQuery,
          response: AttributeListResponse,
        },
        ({ call, params, query }) => ({ data: listAttributes(call, toRead(find, call, params), query) }),
      ),
    )
    .post(
      `${path}/attributes`,
      ...door(
        {
          operation: `create${name}Attribute`,
          summary: `Add an attribute to ${name === 'List' ? 'a list' : 'an object'}`,
          description: 'With `relationship`, the other side is made on the other object at the same time.',
          tag,
          scopes: write,
          otherScopes: OLDER_SCOPES.write,
          body: CreateAttributeBody,
          response: AttributeResponse,
        },
        async ({ call, params, body }) => ({
          data: await createAttribute(call, toChange(find, call, params), body.data),
        }),
      ),
    )

const singleRoutes = (door: Door, { path, name, read, write, find }: OwnerPath) =>
  new Elysia({ name: `attribute of ${path}` })
    .get(
      `${path}/attributes/:attribute`,
      ...door(
        {
          operation: `get${name}Attribute`,
          summary: 'Get an attribute, archived or not',
          tag,
          scopes: read,
          otherScopes: OLDER_SCOPES.read,
          response: AttributeResponse,
        },
        ({ call, params }) => ({ data: readAttribute(call, toRead(find, call, params), params.attribute) }),
      ),
    )
    .patch(
      `${path}/attributes/:attribute`,
      ...door(
        {
          operation: `update${name}Attribute`,
          summary: 'Change a custom attribute',
          description: 'Its type and whether it holds several values cannot change. Old data is never checked.',
          tag,
          scopes: write,
          otherScopes: OLDER_SCOPES.write,
          body: UpdateAttributeBody,
          response: AttributeResponse,
        },
        async ({ call, params, body }) => ({
          data: await updateAttribute(call, toChange(find, call, params), params.attribute, body.data),
        }),
      ),
    )
    .delete(
      `${path}/attributes/:attribute`,
      ...door(
        {
          operation: `delete${name}Attribute`,
          summary: 'Delete a custom attribute',
          description: 'Permanent, with all its values; of a relationship, both sides go. Its slug is free again.',
          tag,
          scopes: write,
          otherScopes: OLDER_SCOPES.write,
          response: Type.Object({}),
        },
        async ({ call, params }) => {
          await deleteAttribute(call, toChange(find, call, params), params.attribute)
          return {}
        },
      ),
    )
