/** The notes, tasks, files and comments that the palette found. */

import CircleCheck from '@lucide/svelte/icons/circle-check'
import MessageSquare from '@lucide/svelte/icons/message-square'
import NotebookText from '@lucide/svelte/icons/notebook-text'
import Paperclip from '@lucide/svelte/icons/paperclip'
import type { FoundTexts } from '../../api/records/text-search'
import { goTo } from '../../router/location.svelte'
import type { DataModel } from '../../state/data-model.svelte'
import type { PaletteGroup, PaletteItem } from './items'

/** Those of an object or a list that the console does not know are left out. */
export function textGroups(
  { notes, tasks, files, comments }: FoundTexts,
  { objects = [], lists = [] }: Partial<Pick<DataModel, 'objects' | 'lists'>>,
): readonly PaletteGroup[] {
  const objectSlug = (objectId: string) => objects.find(({ id }) => id.object_id === objectId)?.api_slug
  const listSlug = (listId: string) => lists.find(({ id }) => id.list_id === listId)?.api_slug
  const onRecord = (objectId: string, recordId: string, search: string): string | undefined => {
    const slug = objectSlug(objectId)
    return slug ? `/objects/${slug}/${recordId}?${search}` : undefined
  }
  const linkOfComment = (comment: FoundTexts['comments'][number]): string | undefined => {
    const { comment_id, object_id, record_id, list_id, entry_id } = comment
    if (list_id === null) return onRecord(object_id, record_id, `tab=comments&comment=${comment_id}`)
    const slug = listSlug(list_id)
    return slug && `/lists/${slug}?comments=${entry_id}&comment=${comment_id}`
  }
  return [
    {
      label: 'Notes',
      items: notes.map(({ note_id, title }) => item(note_id, title || 'Untitled', NotebookText, `/notes/${note_id}`)),
    },
    {
      label: 'Tasks',
      items: tasks.map(({ task_id, excerpt, is_completed }) => ({
        ...item(task_id, oneLine(excerpt), CircleCheck, `/tasks?task=${task_id}`),
        ...(is_completed && { detail: 'Completed' }),
      })),
    },
    {
      label: 'Files',
      items: files.flatMap(({ file_id, name, object_id, record_id }) => {
        const href = onRecord(object_id, record_id, 'tab=files')
        return href === undefined ? [] : [item(file_id, name, Paperclip, href)]
      }),
    },
    {
      label: 'Comments',
      items: comments.flatMap((comment) => {
        const href = linkOfComment(comment)
        return href === undefined ? [] : [item(comment.comment_id, oneLine(comment.excerpt), MessageSquare, href)]
      }),
    },
  ].filter(({ items }) => items.length > 0)
}

const item = (id: string, label: string, icon: PaletteItem['icon'], href: string): PaletteItem => ({
  id,
  label,
  icon,
  act: () => goTo(href),
})

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
