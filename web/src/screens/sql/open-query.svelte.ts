/** The query in the editor, and the saved query from which it was opened. */

import { type ApiError, toApiError } from '../../api/errors'
import {
  createSavedQuery,
  deleteSavedQuery,
  getSavedQuery,
  type SavedQuery,
  updateSavedQuery,
} from '../../api/sql/sql-queries'
import { session } from '../../state/session.svelte'
import { readDraft, removeDraft, storeDraft } from './drafts'
import type { SqlEditor } from './editor/sql-editor.svelte'

export class OpenQuery {
  /** Undefined for a query that is not saved. */
  saved = $state.raw<SavedQuery | undefined>()
  /** Why the query of the URL could not be opened. */
  error = $state.raw<ApiError | undefined>()
  readonly #editor: SqlEditor
  #id: string | undefined

  readonly isEdited: boolean = $derived.by(() => this.saved !== undefined && this.saved.sql !== this.#editor.text)

  /** Whether the member may change the saved query. */
  readonly isOwn: boolean = $derived(
    session.isAdmin || this.saved?.created_by.workspace_member_id === session.workspace?.workspace_member_id,
  )

  constructor(editor: SqlEditor) {
    this.#editor = editor
  }

  /** Opens the saved query of this id, or the text that is not saved. Unsaved changes of the tab are kept. */
  async open(id: string | undefined): Promise<void> {
    if (id === this.saved?.id && id !== undefined) return
    this.#id = id
    this.error = undefined
    if (id === undefined) {
      this.saved = undefined
      this.#editor.replaceText(readDraft(undefined) ?? '')
      return
    }
    try {
      const saved = await getSavedQuery(id)
      if (this.#id !== id) return
      this.saved = saved
      this.#editor.replaceText(readDraft(id) ?? saved.sql)
    } catch (error) {
      if (this.#id !== id) return
      this.saved = undefined
      this.error = toApiError(error)
    }
  }

  /** Keeps the text for a reload of the page. For use in an effect. */
  storeDraft(): void {
    const { text } = this.#editor
    if (this.#id !== this.saved?.id) return // still loading
    if (text === (this.saved?.sql ?? '')) removeDraft(this.#id)
    else storeDraft(this.#id, text)
  }

  async saveAs(name: string): Promise<SavedQuery> {
    const saved = await createSavedQuery({ name, sql: this.#editor.text })
    removeDraft(this.#id)
    this.#id = saved.id
    this.saved = saved
    this.error = undefined
    return saved
  }

  /** Saves the text. */
  async update({ id, version, name }: SavedQuery): Promise<void> {
    const saved = await updateSavedQuery(id, { name, sql: this.#editor.text, version })
    removeDraft(id)
    if (this.#id === id) this.saved = saved
  }

  /** Changes the name alone. */
  async rename({ id, version, sql }: SavedQuery, name: string): Promise<void> {
    const saved = await updateSavedQuery(id, { name, sql, version })
    if (this.#id === id) this.saved = saved
  }

  /** The text stays in the editor. */
  async delete({ id }: SavedQuery): Promise<void> {
    await deleteSavedQuery(id)
    removeDraft(id)
    storeDraft(undefined, this.#editor.text)
  }
}
