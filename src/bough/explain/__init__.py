"""What trees say about themselves and their answers: numbers and words, from trees and rows alone."""
