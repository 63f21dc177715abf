/** The views that are pinned to the navigation, of the current workspace. */

import { listViewPins, pinView, unpinView, type ViewPin } from '../api/data-model/view-pins'
import { RemoteData } from './reads/remote-data.svelte'
import { toasts } from './toasts.svelte'

let current: RemoteData<ViewPin[]> | undefined

/** Loads the pins. The shell calls it when a workspace is chosen. */
export function openViewPins(): void {
  current = new RemoteData(listViewPins)
}

/** Only screens inside the shell have pins. */
export function getViewPins(): RemoteData<ViewPin[]> {
  if (current === undefined) throw new Error('There is no workspace open.')
  return current
}

export async function setPinned(viewId: string, isPinned: boolean): Promise<void> {
  try {
    await (isPinned ? pinView(viewId) : unpinView(viewId))
    await getViewPins().load()
    toasts.show(isPinned ? 'View pinned' : 'View unpinned')
  } catch (error) {
    toasts.fail(error)
  }
}
