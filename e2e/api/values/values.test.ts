/** Values of every type of attribute. The files share one service: to start it takes longer than their tests. */

import './actors'
import './addresses'
import './containers'
import './dates'
import './history'
import './multiselect'
import './numbers'
import './options'
import './places-and-names'
import './references'
import './uniqueness'
