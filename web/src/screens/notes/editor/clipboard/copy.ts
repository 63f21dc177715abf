/** What is copied: plain text in lines, and HTML in which items are in lists, as other programs expect. */

import { DOMSerializer, type Fragment } from 'prosemirror-model'
import { Plugin } from 'prosemirror-state'
import { schema } from '../schema'

class ListSerializer extends DOMSerializer {
  override serializeFragment(
    fragment: Fragment,
    options?: { document?: Document },
    target?: HTMLElement | DocumentFragment,
  ): HTMLElement | DocumentFragment {
    const whole = super.serializeFragment(fragment, options, target)
    const lists: Element[] = []
    for (const element of Array.from(whole.children)) {
      if (element.classList.contains('item')) moveToList(element, lists)
      else lists.length = 0
    }
    return whole
  }
}

/** `lists` are the lists that are around the item before, from the outside. */
function moveToList(element: Element, lists: Element[]): void {
  const indent = Number(/indent-(\d)/.exec(element.className)?.[1] ?? 0)
  const tag = element.classList.contains('number') ? 'OL' : 'UL'
  lists.length = Math.min(lists.length, indent + 1)
  if (lists.length > indent && lists[indent]?.tagName !== tag) lists.length = indent
  const item = document.createElement('li')
  item.append(...element.childNodes)
  if (lists.length <= indent) addList(document.createElement(tag), element, lists)
  lists.at(-1)?.append(item)
  element.remove()
}

function addList(list: Element, before: Element, lists: Element[]): void {
  const containing = lists.at(-1)?.lastElementChild
  if (containing) containing.append(list)
  else before.before(list)
  lists.push(list)
}

export const copy = (): Plugin =>
  new Plugin({
    props: {
      clipboardTextSerializer: ({ content }) => content.textBetween(0, content.size, '\n'),
      clipboardSerializer: new ListSerializer(
        DOMSerializer.nodesFromSchema(schema),
        DOMSerializer.marksFromSchema(schema),
      ),
    },
  })
