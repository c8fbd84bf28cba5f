"""Cards, hands, deals and the dealer; diagrams, masks, and the files of other programs."""
