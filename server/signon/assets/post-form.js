// Submits the form at once; without scripts the user presses its button.
document.forms[0].submit()
