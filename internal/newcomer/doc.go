// Package newcomer follows the pages for newcomers to the letter. It has tests only.
package newcomer
