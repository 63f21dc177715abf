/** The views that a member pinned to the navigation. */

export interface ViewPin {
  readonly view_id: string
  readonly title: string
  readonly type: 'table' | 'board'
  readonly entity_type: { readonly kind: 'objects' | 'lists'; readonly id: string; readonly slug: string }
}
