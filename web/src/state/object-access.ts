/** Which objects the signed-in member may only view. The service decides; the console hides what it would refuse. */

import type { EntityTypePath } from '../api/data-model/attributes'
import { getDataModel } from './data-model.svelte'

/** Whether the member may view the records of this object, but not change them. */
export const isReadOnlyObject = (objectId: string): boolean => getDataModel().data?.readOnlyIds.has(objectId) === true

/** The same for the path of an object. A list is never read-only here: the service checks the access to it. */
export const isReadOnly = ({ kind, slug }: EntityTypePath): boolean => {
  const object = kind === 'objects' ? getDataModel().data?.objects.find(({ api_slug }) => api_slug === slug) : undefined
  return object !== undefined && isReadOnlyObject(object.id.object_id)
}

/** Says why nothing can be changed. `many` are the records of the object, such as "people". */
export const readOnlyText = (many: string): string => `View only. An admin can let you change ${many}.`
