/** Images that are pasted, dropped or chosen: each is stored as a file of the note, and a placeholder is shown meanwhile. */

import { closeHistory } from 'prosemirror-history'
import { Plugin, PluginKey } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view'
import { isImage } from '../../files/file-kinds'
import { schema } from './schema'

export interface ImageEvents {
  /** Stores a file of the note, and returns its id. */
  readonly storeImage: (file: File) => Promise<string>
  /** Stores a copy of an image of another record, and returns its id. Undefined for an image of the record of the note. */
  readonly copyImage: (fileId: string) => Promise<string | undefined>
  readonly refuse: (message: string) => void
}

interface Change {
  readonly upload: object
  /** Where the placeholder is added; without it, it is removed. */
  readonly at?: number
}

const key = new PluginKey<DecorationSet>('images')

export const images = (events: ImageEvents): Plugin =>
  new Plugin<DecorationSet>({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply(transaction, before) {
        const set = before.map(transaction.mapping, transaction.doc)
        const change: Change | undefined = transaction.getMeta(key)
        if (change === undefined) return set
        if (change.at === undefined) return set.remove(placeholdersOf(set, change.upload))
        return set.add(transaction.doc, [Decoration.widget(change.at, placeholder, { upload: change.upload })])
      },
    },
    props: {
      decorations: (state) => key.getState(state),
      handlePaste(view, { clipboardData }) {
        // Office programs add a picture of the text that was copied.
        const files = clipboardData?.getData('text/plain') ? [] : filesIn(clipboardData)
        return files.length > 0 && insertImages(view, files, events)
      },
      /** The other record takes its images along when it is deleted. */
      transformPasted(slice, view) {
        const ids = new Set<string>()
        slice.content.descendants(({ type, attrs }) => {
          if (type === schema.nodes.image) ids.add(String(attrs.fileId))
        })
        for (const id of ids) void replaceByCopy(view, id, events)
        return slice
      },
      handleDrop(view, event, _slice, isMoved) {
        const files = isMoved ? [] : filesIn(event.dataTransfer)
        if (files.length === 0) return false
        event.preventDefault()
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos
        return insertImages(view, files, events, at)
      },
    },
  })

const filesIn = (data: DataTransfer | null): readonly File[] => [...(data?.files ?? [])]

/** Stores images and inserts them, in place of the selection or at a position. Refuses other files. */
export function insertImages(
  view: EditorView,
  files: readonly File[],
  events: ImageEvents,
  at = view.state.selection.from,
): true {
  const accepted = files.filter(({ type }) => isImage(type))
  if (accepted.length < files.length) events.refuse('Notes can have PNG, JPEG, GIF, WebP and AVIF images.')
  for (const file of accepted) void insertImage(view, file, events, at)
  return true
}

async function insertImage(view: EditorView, file: File, { storeImage, refuse }: ImageEvents, at: number) {
  const upload = {}
  view.dispatch(view.state.tr.setMeta(key, { upload, at } satisfies Change))
  const fileId = await storeImage(file).catch((error: unknown) => {
    refuse(`“${file.name}” wasn't added. ${error instanceof Error ? error.message : ''}`)
    return undefined
  })
  if (view.isDestroyed) return
  const [shown] = placeholdersOf(key.getState(view.state), upload)
  const { tr } = view.state
  if (fileId !== undefined && shown) tr.insert(shown.from, schema.nodes.image.create({ name: file.name, fileId }))
  view.dispatch(closeHistory(tr.setMeta(key, { upload } satisfies Change)))
  // What follows at once is undone without the image.
  view.dispatch(closeHistory(view.state.tr))
}

async function replaceByCopy(view: EditorView, fileId: string, { copyImage, refuse }: ImageEvents) {
  const copyId = await copyImage(fileId).catch((error: unknown) => {
    refuse(`An image couldn't be copied. ${error instanceof Error ? error.message : ''}`)
    return undefined
  })
  if (copyId === undefined || view.isDestroyed) return
  const { tr, doc } = view.state
  doc.descendants(({ type, attrs }, at) => {
    if (type === schema.nodes.image && attrs.fileId === fileId) tr.setNodeAttribute(at, 'fileId', copyId)
  })
  // Undo removes what was pasted, and does not bring back the image of the other record.
  view.dispatch(tr.setMeta('addToHistory', false))
}

const placeholdersOf = (set: DecorationSet | undefined, upload: object): Decoration[] =>
  set?.find(undefined, undefined, (spec) => spec.upload === upload) ?? []

function placeholder(): HTMLElement {
  const element = document.createElement('span')
  element.className = 'uploading'
  element.setAttribute('role', 'status')
  element.textContent = 'Adding image…'
  return element
}
