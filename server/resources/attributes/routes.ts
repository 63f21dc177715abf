import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Door } from '../../http/route'
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
import { TARGETS, type Target } from './target'
import { updateAttribute } from './update'

const tag = 'Attributes'

/** Attributes of objects and of lists, with their options and statuses. */
export function attributeRoutes(door: Door) {
  const routes = new Elysia({ name: 'attributes' })
  for (const target of TARGETS) {
    routes.use(listRoutes(door, target)).use(singleRoutes(door, target))
    routes.use(optionRoutes(door, target)).use(statusRoutes(door, target))
  }
  return routes
}

const listRoutes = (door: Door, { path, name, read, write, owner }: Target) =>
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
          query: ListQuery,
          response: AttributeListResponse,
        },
        ({ call, params, query }) => ({ data: listAttributes(call, (model) => owner(model, params), query) }),
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
          body: CreateAttributeBody,
          response: AttributeResponse,
        },
        async ({ call, params, body }) => ({
          data: await createAttribute(call, (model) => owner(model, params), body.data),
        }),
      ),
    )

const singleRoutes = (door: Door, { path, name, read, write, owner }: Target) =>
  new Elysia({ name: `attribute of ${path}` })
    .get(
      `${path}/attributes/:attribute`,
      ...door(
        {
          operation: `get${name}Attribute`,
          summary: 'Get an attribute, archived or not',
          tag,
          scopes: read,
          response: AttributeResponse,
        },
        ({ call, params }) => ({ data: readAttribute(call, (model) => owner(model, params), params.attribute) }),
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
          body: UpdateAttributeBody,
          response: AttributeResponse,
        },
        async ({ call, params, body }) => ({
          data: await updateAttribute(call, (model) => owner(model, params), params.attribute, body.data),
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
          response: Type.Object({}),
        },
        async ({ call, params }) => {
          await deleteAttribute(call, (model) => owner(model, params), params.attribute)
          return {}
        },
      ),
    )
