/** What the menu of views does with the view that is shown. */

import Copy from '@lucide/svelte/icons/copy'
import Eye from '@lucide/svelte/icons/eye'
import EyeOff from '@lucide/svelte/icons/eye-off'
import Lock from '@lucide/svelte/icons/lock'
import Pencil from '@lucide/svelte/icons/pencil'
import Pin from '@lucide/svelte/icons/pin'
import PinOff from '@lucide/svelte/icons/pin-off'
import Save from '@lucide/svelte/icons/save'
import Trash2 from '@lucide/svelte/icons/trash-2'
import Users from '@lucide/svelte/icons/users'
import { updateView, type ViewInput, type ViewItem } from '../../../api/data-model/views'
import type { MenuItem } from '../../../components/overlay/Menu.svelte'
import { toasts } from '../../../state/toasts.svelte'
import { getViewPins, setPinned } from '../../../state/view-pins.svelte'
import type { ViewState } from '../table/view-state.svelte'

export type ViewDialog = 'save' | 'rename' | 'duplicate' | 'delete'

interface Actions {
  readonly viewState: ViewState
  readonly contents: () => Omit<ViewInput, 'title'>
  /** Opens a dialog about the view. */
  readonly open: (dialog: ViewDialog) => void
  readonly onchanged: () => unknown
}

/** The items of a view, in two groups: what changes the view, and what deletes it. */
export function viewActions(view: ViewItem, actions: Actions): readonly (readonly MenuItem[])[] {
  const { viewState, open } = actions
  const { title, is_personal: isPersonal, is_default: isDefault } = view
  const isPinned = getViewPins().data?.some(({ view_id }) => view_id === view.id.view_id) === true
  const save = {
    label: `Save to “${title}”`,
    icon: Save,
    act: () => saveView(view, viewState, actions.contents()),
  }
  return [
    [
      ...(viewState.isChanged ? [save] : []),
      { label: 'Rename', icon: Pencil, act: () => open('rename') },
      { label: 'Duplicate', icon: Copy, act: () => open('duplicate') },
      isPersonal
        ? {
            label: 'Share with everyone',
            icon: Users,
            act: () => change(view, actions, { is_personal: false }, 'shared'),
          }
        : {
            label: 'Make personal',
            icon: Lock,
            act: () => change(view, actions, { is_personal: true }, 'is personal now'),
          },
      ...(isPersonal ? [] : [defaultItem(view, isDefault, actions)]),
      isPinned
        ? { label: 'Unpin from navigation', icon: PinOff, act: () => setPinned(view.id.view_id, false) }
        : { label: 'Pin to navigation', icon: Pin, act: () => setPinned(view.id.view_id, true) },
    ],
    [{ label: `Delete “${title}”`, icon: Trash2, isDanger: true, act: () => open('delete') }],
  ]
}

const defaultItem = (view: ViewItem, isDefault: boolean, actions: Actions): MenuItem =>
  isDefault
    ? {
        label: 'Stop opening for everyone',
        icon: EyeOff,
        act: () => change(view, actions, { is_default: false }, 'no longer opens for everyone'),
      }
    : {
        label: 'Open for everyone',
        icon: Eye,
        act: () => change(view, actions, { is_default: true }, 'opens for everyone'),
      }

/** Saves the contents of the view that is shown. */
export const saveView = (view: ViewItem, viewState: ViewState, contents: Omit<ViewInput, 'title'>): Promise<void> =>
  change(view, { viewState, onchanged: () => undefined }, contents, 'saved')

async function change(
  { id, title }: ViewItem,
  { viewState, onchanged }: Pick<Actions, 'viewState' | 'onchanged'>,
  members: Partial<ViewInput>,
  done: string,
): Promise<void> {
  try {
    const view = await updateView(viewState.entityType, id.view_id, members)
    if (members.filter !== undefined) viewState.openSaved(view)
    onchanged()
    toasts.show(`“${title}” ${done}`)
  } catch (error) {
    toasts.fail(error)
  }
}
