/**
 * Renames an object. The names of its tables have its number, so they do not change.
 * See docs/reference/objects-and-attributes.md (Objects).
 */

import type { RequestContext } from '#context'
import { changeModel } from '#engine/data-model/change-model'
import { getObject, getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { systemAttributeNotEditable } from '#base/errors/attributes'
import { emptyPayload } from '#base/errors/http'
import { renderObject } from './render'
import { refuseReservedSlug, refuseTaken } from './rules'
import type { ObjectChange, ObjectOutput } from './schemas'
import { saveNames } from './store'

export async function updateObject(
  context: RequestContext,
  slugOrId: string,
  input: ObjectChange,
): Promise<ObjectOutput> {
  const { api_slug, singular_noun, plural_noun } = input
  if ([api_slug, singular_noun, plural_noun].every((member) => member === undefined)) throw emptyPayload()
  const { changed: id, model } = await changeModel(context, async (step) => {
    const object = getWritableObject(step.model, slugOrId)
    refuseSlugChange(object, api_slug)
    refuseTaken(step.model, input, object)
    await saveNames(step, object, {
      api_slug: api_slug ?? object.api_slug,
      singular_noun: singular_noun ?? object.singular_noun,
      plural_noun: plural_noun ?? object.plural_noun,
    })
    return object.id
  })
  return renderObject(model, getObject(model, id))
}

function refuseSlugChange(object: ObjectType, slug: string | undefined): void {
  if (slug === undefined || slug === object.api_slug) return
  if (object.standard_slug !== null)
    throw systemAttributeNotEditable('Cannot update a System attribute: the api_slug of a standard object is fixed.')
  refuseReservedSlug(slug)
}
