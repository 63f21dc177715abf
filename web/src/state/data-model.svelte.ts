/** The objects and lists of the workspace: in the navigation, the palette and wherever one is chosen. */

import type { ListOutput } from '../../../server/resources/lists/schemas'
import type { ObjectOutput } from '../../../server/resources/objects/schemas'
import { listLists } from '../api/data-model/lists'
import { listObjects } from '../api/data-model/objects'
import { Loaded } from './loaded.svelte'

export type WorkspaceObject = ObjectOutput
export type List = ListOutput

interface DataModel {
  readonly objects: readonly WorkspaceObject[]
  readonly lists: readonly List[]
}

async function readDataModel(signal: AbortSignal): Promise<DataModel> {
  const [objects, lists] = await Promise.all([listObjects(signal), listLists(signal)])
  return { objects, lists }
}

/** Made by the shell when a workspace is chosen; screens find it with `getDataModel`. */
export const createDataModel = () => new Loaded(readDataModel)

let present: Loaded<DataModel> | undefined

export function openDataModel(): Loaded<DataModel> {
  present = createDataModel()
  return present
}

/** Of the workspace one is in; only screens inside the shell may ask. */
export function getDataModel(): Loaded<DataModel> {
  if (present === undefined) throw new Error('There is no workspace open.')
  return present
}
